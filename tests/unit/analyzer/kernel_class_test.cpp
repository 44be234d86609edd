// SPDX-License-Identifier: Apache-2.0
// Which kernels communicate: names as profilers give them, mangled and not, a test for each library that has
// kernels of its own, and names of compute kernels that look like them.
#include "metrics/compute_metrics.h"
#include "metrics/metrics.h"
#include "model/build_model.h"
#include "model/kernel_class.h"
#include "model/model.h"
#include "support/trace_builder.h"
#include "trace/vocabulary/kernel_name.h"

#include <gtest/gtest.h>

namespace ringside::model {
namespace {

using trace::identifiersOf;

void expectClass(KernelClass expected, std::initializer_list<std::string_view> names)
{
    for (const std::string_view name : names) {
        EXPECT_EQ(classifyKernel(name), expected) << name;
    }
}

TEST(KernelName, IsWithoutWhatSurroundsIt)
{
    using Identifiers = std::vector<std::string>;
    EXPECT_EQ(identifiersOf("void deep_ep::intranode::dispatch<8, (int)768>(int4*, float*)"),
              (Identifiers{"deep_ep", "intranode", "dispatch"}));
    EXPECT_EQ(identifiersOf("_ZN7deep_ep9intranode8dispatchILi8EEEvPi"),
              (Identifiers{"deep_ep", "intranode", "dispatch"}));
    EXPECT_EQ(
        identifiersOf("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(int*)"),
        Identifiers{"multimem_all_reduce_kernel"});
    EXPECT_EQ(identifiersOf("void <unnamed>::f<int>(int)"), Identifiers{"f"});
    EXPECT_EQ(identifiersOf(
                  "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)"),
              Identifiers{"nccldevkernel_allreduce_sum_f32_ring_ll"});
    EXPECT_EQ(identifiersOf("ampere_sgemm_128x64_nn"), Identifiers{"ampere_sgemm_128x64_nn"});
    EXPECT_EQ(identifiersOf("_Zbroken"), Identifiers{"_zbroken"});
    for (const std::string& hostile :
         {std::string(), std::string("::"), std::string("<<<<"), std::string(">>>>("),
          std::string(1 << 20, '<'), "_Z" + std::string(1 << 20, 'P'),
          "_Z" + std::string(16000, 'P') + "i"}) {
        EXPECT_LE(identifiersOf(hostile).size(), 1U);
    }
}

TEST(ClassifyKernel, KnowsNccl)
{
    expectClass(KernelClass::Communication,
                {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                 "ncclDevKernel_SendRecv(ncclDevComm*, unsigned long, ncclWork*)",
                 "_Z37ncclDevKernel_AllGather_RING_LL24ncclDevKernelArgsStorageILm4096EE",
                 "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)"});
}

TEST(ClassifyKernel, KnowsNcclSymmetricMemory)
{
    expectClass(KernelClass::Communication,
                {"ncclSymkDevKernel_AllReduce_AGxLL_R_sum_bf16(ncclSymkDevWorkArgs4K)",
                 "ncclSymDevKernel_AllGather_LL(ncclSymDevArgs)",
                 "_Z30ncclSymkDevKernel_AllGather_LL21ncclSymkDevWorkArgs4K"});
}

TEST(ClassifyKernel, KnowsNcclContributions)
{
    expectClass(KernelClass::Communication, {"void nccl_ep::internode_ll::dispatch<true, 7168>(void*, int)",
                                             "_ZN7nccl_ep12internode_ll7combineILb1ELi7168EEEvPvi",
                                             "void ubx_kernel_a2av_token_bf16_mxfp8<8>(int)",
                                             "twoshot_mc_simple_allreduce_kernel(float*)"});
}

TEST(ClassifyKernel, KnowsRccl)
{
    expectClass(KernelClass::Communication,
                {"ncclKernel_Generic_4(ncclDevComm*, channelMasks, ncclWork*)",
                 "ncclDevKernel_Generic_2(ncclDevKernelArgsStorage<4096ul>) [clone .kd]",
                 "mscclKernel_Sum_half_Simple(ncclDevComm*)"});
}

TEST(ClassifyKernel, KnowsDeepEp)
{
    expectClass(KernelClass::Communication,
                {"void deep_ep::intranode::dispatch<8, 768, 16384>(int4*, float*)",
                 "void deep_ep::legacy::internode_ll::combine<true, 7168, 11, 9>(void*, void*)",
                 "void deep_ep::elastic::hybrid_dispatch_impl<8, 7168>(void*)",
                 "_ZN7deep_ep9internode15notify_dispatchILb0ELi4EEEvPKiPi",
                 "void dpsk::ep::internode::notify_dispatch<false, 4>(int const*, long*)",
                 "void dpsk::ep::internode::dispatch<false, 8, true, 8>(int4*)"});
}

TEST(ClassifyKernel, KnowsHybridEp)
{
    expectClass(KernelClass::Communication,
                {"void hybrid_ep::dispatch_kernel<hybrid_ep::inter_node_group<32, 0>, 4, 8>(int)",
                 "_ZN9hybrid_ep14combine_kernelILi4EEEvi"});
}

TEST(ClassifyKernel, KnowsMori)
{
    expectClass(KernelClass::Communication,
                {"void mori::moe::EpDispatchIntraNodeKernel<__hip_bfloat16>(int)",
                 "EpCombineInterNodeV1Kernel_bf16", "_ZN4mori5shmem15_barrier_kernelEPi",
                 "mori_shmem_barrier_all_block", "FusedRingRemoteGatherKernel_u32",
                 "OneShotBroadcastSdmaSubGroupKernel_u32", "InterNodeRingAllGatherKernel_u32"});
}

TEST(ClassifyKernel, KnowsOtherExpertParallelLibraries)
{
    expectClass(KernelClass::Communication, {"void uccl::internode::combine<8>(int)",
                                             "void a2a_dispatch_send_kernel<true, 16, 8>(unsigned long)",
                                             "void dlslime::intranode_alltoall_kernel(int)"});
}

TEST(ClassifyKernel, KnowsNvshmem)
{
    expectClass(KernelClass::Communication,
                {"nvshmemi_proxy_quiet_entrypoint(int)",
                 "void barrier_on_stream_kernel_threadgroup<2>(int, int)",
                 "void alltoall_on_stream_kernel<char, 0>(int, char*, char const*, unsigned long, int)",
                 "_Z21rdxn_on_stream_kernelIfEviPT_PKS0_m"});
}

TEST(ClassifyKernel, KnowsPyTorchSymmetricMemory)
{
    expectClass(KernelClass::Communication,
                {"void c10d::symmetric_memory::one_shot_all_reduce_kernel<c10::BFloat16, 16>(int)",
                 "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<float, 16, 8>(int)",
                 "multimem_all_gather_kernel(char*)", "put_signal_kernel(unsigned int**, int)",
                 "_ZN4c10d16symmetric_memory14barrier_kernelEPPjiiim",
                 "_ZN12_GLOBAL__N_126multimem_all_reduce_kernelIN3c108BFloat16ELi16EEEvPT_mPPjmm",
                 "void c10d::nvshmem_extension::allToAllV(void*)",
                 "_ZN4c10d17nvshmem_extension22exchangeSplitAndOffsetEPlii",
                 "_ZN4c10d14nccl_extension14lsa_put_kernelEPPvimPKvm"});
}

TEST(ClassifyKernel, KnowsCustomAllReducesOfVllm)
{
    expectClass(KernelClass::Communication,
                {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
                 "_ZN4vllm26cross_device_reduce_2stageI13__nv_bfloat16Li4EEEvPNS_8RankDataE",
                 "void minimax_reduce_rms_kernel_lamport<__nv_bfloat16, 8>(MiniMaxReduceRMSParams)"});
}

TEST(ClassifyKernel, KnowsSglang)
{
    expectClass(KernelClass::Communication,
                {"void sglang::cross_device_reduce_1stage<__half, 4>(sglang::RankData*)",
                 "_Z18allreduce_LL_1nodeIfEvPT_",
                 "void allreduce_LL_2node<__half>(mscclpp::MemoryChannelDeviceHandle*)"});
}

TEST(ClassifyKernel, KnowsQuickReduce)
{
    expectClass(
        KernelClass::Communication,
        {"void quickreduce::allreduce_prototype_twoshot<Twoshot<__half, CodecQ4<__half, 4>>, __half>(int)",
         "_ZN11quickreduce27allreduce_prototype_twoshotIfEEvPT_"});
}

TEST(ClassifyKernel, KnowsAiter)
{
    expectClass(KernelClass::Communication,
                {"void aiter::reduce_scatter_cross_device_store<__half, 8>(int)",
                 "void aiter::allreduce_fusion_kernel_1stage<__half, 8>(int)",
                 "void aiter::rs_gfx1250_split_lastdim<__half, 8>(int)",
                 "void aiter::ar_ll_gfx1250<__half, 8>(int)", "_ZN5aiter20ag_gfx1250_naive_vecIfLi8EEEvPT_"});
}

TEST(ClassifyKernel, KnowsFlashInfer)
{
    expectClass(KernelClass::Communication,
                {"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<8>(int)",
                 "void flashinfer::trtllm_mnnvl_allreduce::oneshotAllreduceFusionKernel<8, float>(float*)",
                 "void rmsNormLamport<float>(int)",
                 "void flashinfer::comm::pcie_ipc::ipc_rsag_push_param_kernel<__half, 8>(int)",
                 "_ZN10flashinfer4comm7ulysses18ulysses_a2a_kernelILi8EEEvPi",
                 "void (anonymous namespace)::store_publish_dedup_fp8_kernel<7168>(int)"});
}

TEST(ClassifyKernel, KnowsTensorRtLlm)
{
    expectClass(KernelClass::Communication,
                {"void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 8, true>(int)",
                 "void tensorrt_llm::kernels::moefinalize_allreduce_fusion_kernel_oneshot_lamport<8>(int)",
                 "void tensorrt_llm::kernels::moe_alltoall::moeA2ACombineKernel<__half>(MoeA2ACombineParams)",
                 "void tensorrt_llm::kernels::fused_moe_comm::moeLocalGather(int)",
                 "_ZN12tensorrt_llm7kernels19helixAllToAllKernelILb1EEEvi"});
}

TEST(ClassifyKernel, KnowsLmDeploy)
{
    expectClass(KernelClass::Communication,
                {"void turbomind::comm::AllreduceResidualBiasRMSnorm_Simple_Pull<8>(int)"});
}

TEST(ClassifyKernel, KnowsUserbuffers)
{
    expectClass(KernelClass::Communication, {"userbuffers_fp16_sum_inplace_gpu_rr_rs_oop(int, int)",
                                             "_Z42userbuffers_fp16_sum_inplace_gpu_rr_rs_oopILi8EEvii",
                                             "kuserbuffers_pushsend(int*, int*)",
                                             "_ZN18transformer_engine30wait_until_on_stream_and_resetEPmmm"});
}

TEST(ClassifyKernel, KnowsMscclPlusPlus)
{
    expectClass(KernelClass::Communication,
                {"void mscclpp::collective::allreducePacket<0>(int)",
                 "_ZN7mscclpp10collective21allreduceRsAgPipelineILi0EEEvi", "mscclpp::executionKernel(int)"});
}

TEST(ClassifyKernel, KnowsOneCcl)
{
    expectClass(KernelClass::Communication,
                {"typeinfo name for AllreduceLargeKernel_GlobalSync<sycl::_V1::half>",
                 "_ZTS34Reduce_scatter_small_kernel_scalarIfE", "_ZTS14Kernel_all_sumIfLi2EE",
                 "Kernel_local_sum_and_distribute_to_remote_ranks<float, 4>",
                 "NoCopyKernel_gather_from_remote_and_dist_to_rank_pair<float>",
                 "reduce_monolithic_kernel_3_float32_add", "alltoallv_kernel_4_int8_custom"});
}

TEST(ClassifyKernel, KnowsMegatronsInference)
{
    expectClass(KernelClass::Communication,
                {"_multimem_all_gather_v_kernel", "_ordered_reduce_scatter_v_kernel",
                 "_multimem_reduce_scatter_residual_add_kernel"});
}

TEST(ClassifyKernel, IsNotMisledByArgumentsNeighboursAndNames)
{
    expectClass(
        KernelClass::Compute,
        {"ampere_sgemm_128x64_nn",
         "void at::native::vectorized_elementwise_kernel<4, deep_ep::Copy, std::array<char*, 2>>(int)",
         "void copy<ncclDevKernelArgs>(ncclDevKernelArgs)",
         "void cdpsk::ep::CUB_200_NS::DeviceScanKernel<int>(int)", // CUB wrapped for DeepEP's namespace
         "void dpsk::gemm::fp8_gemm_kernel<7168, 2048>(int)",
         "void deep_gemm::sm90_fp8_gemm_1d2d_impl<0, 7168>(float*)",
         "void cutlass::device_kernel<flux::AgGemmKernel>(int)", "_ZN7cutlass13device_kernelINS_4GemmEEEvT_",
         "void flux::gemm_all_reduce_kernel<8>(int)", "all_gather_matmul_kernel", "void memorize(int)",
         "memcpy32_post", "void c10d::checkForNaN<float>(float*, unsigned long)",
         "_ZN4c10d11checkForNaNIfEEvPT_m", ""});
}

TEST(ClassifyKernel, LeavesReductionsWithinAGpuToCompute)
{
    expectClass(
        KernelClass::Compute,
        {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(at::native::ReduceOp<float>)",
         "_ZN2at6native13reduce_kernelILi512ELi1EiEEvT1_", "void warp_reduce_kernel<float>(float*)",
         "void block_all_reduce_sum_f32_f32_kernel<256>(float*, float*, int)",
         "_Z37block_all_reduce_sum_f32x4_f32_kernelIfEvPT_", "void blockAllReduceSum<float, 4>(float*)",
         "void cub::CUB_200_NS::DeviceReduceSingleTileKernel<int>(int)",
         "void cublasLt::splitKreduce_kernel<32, 16, int>(int)",
         "void at::native::_scatter_gather_elementwise_kernel<128, 8>(int)", "scatter_reduce_mxfp4_kernel",
         "paged_attention_ll4mi_reduce_kernel", "_batched_gemm_splitk_reduce_kernel",
         "void vllm::moe::moe_align_block_size_kernel<int>(int*)"});
}

TEST(ClassifyKernel, LeavesAttentionToCompute)
{
    expectClass(KernelClass::Compute,
                {"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>, true>(Flash_fwd_params)",
                 "_ZN5flash16flash_fwd_kernelIiLb1EEEvT_",
                 "void flashinfer::BatchPrefillWithRaggedKVCacheKernel<1>(int)",
                 "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(int)",
                 "void ring_attention_all_gather_kernel<8>(int)"});
}

// torch.compile names a kernel after all operators that it replaces or stands between.
TEST(ClassifyKernel, LeavesKernelsOfTorchCompileToCompute)
{
    expectClass(KernelClass::Compute,
                {"triton_poi_fused_add_mul_0", "triton_poi_fused_all_reduce_lift_fresh_0",
                 "triton_red_fused__to_copy_all_gather_into_tensor_wait_tensor_3",
                 "triton_per_fused_native_layer_norm_reduce_scatter_tensor_7",
                 "triton_tem_fused_all_to_all_single_mm_2"});
}

// Horovod and BytePS call NCCL; their own kernels scale and copy within a GPU.
TEST(ClassifyKernel, LeavesCopiesOfHorovodToCompute)
{
    expectClass(KernelClass::Compute,
                {"void horovod::common::batched_scaled_memcpy_k<float, 4, float>(int)",
                 "void horovod::common::scale_buffer_k<float, float>(float*)", "mori_cast_float_to_fp4",
                 "void transformer_engine::reduce_bf16_cuda<8>(void*)"});
}

TEST(ClassifyKernel, TakesAUsersOwnNames)
{
    const std::vector<std::string> own{"halo_exchange", "my_collectives::"};
    for (const char* name : {"void Halo_Exchange_v2<float>(float*)", "_ZN14my_collectives4pushIfEEvPT_",
                             "void my_collectives::gemm_push<8>(int)"}) {
        EXPECT_EQ(classifyKernel(name), KernelClass::Compute) << name;
        EXPECT_EQ(classifyKernel(name, own), KernelClass::Communication) << name;
    }
    EXPECT_EQ(classifyKernel("void copy<halo_exchange>(int)", own), KernelClass::Compute) << "an argument";
    EXPECT_EQ(classifyKernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", own), KernelClass::Communication);
}

TEST(ModelOptions, NameKernelsThatCommunicate)
{
    test::TraceBuilder trace(1);
    trace.steps(4, [](test::StepBuilder& step) {
        step.everyRank().compute(std::chrono::milliseconds(3));
        step.everyRank().compute(std::chrono::milliseconds(1), {.kernel = "void HaloExchange<2>(int*)"});
    });
    ModelOptions options;
    options.communicationKernels = {"haloexchange", "nowhere"};
    const Model model = buildModel(trace.run(), options);
    const metrics::Breakdown total = metrics::computeMetrics(model).total();
    EXPECT_EQ(3 * total.communicationNs, total.computeNs);
    ASSERT_EQ(std::ranges::count(model.issues, "communication_kernel_unused", &trace::IssueRow::id), 1);
    EXPECT_NE(std::ranges::find(model.issues, "communication_kernel_unused", &trace::IssueRow::id)
                  ->message.find("'nowhere'"),
              std::string::npos);
}

} // namespace
} // namespace ringside::model
